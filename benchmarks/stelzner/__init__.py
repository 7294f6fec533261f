"""Tests of Stelzner 2008: the mechanisms, people and recordings of which results are known."""
