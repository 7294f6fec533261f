"""Controllers, sensors and actuators, events of users, and what of them belongs to the state of a world."""
