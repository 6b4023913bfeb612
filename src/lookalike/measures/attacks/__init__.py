"""Attacks on what was released: each says how often it succeeds, with an interval and a naive baseline."""
