"""Friction and contact of Specker (Ulm 2016): its models as an independent reference."""
