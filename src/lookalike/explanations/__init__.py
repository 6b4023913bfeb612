"""Explanations of decisions that do not give anyone away: nearest unlike neighbours, and CF-K around them."""
