"""Recipes: a whole run as one TOML file that a person can read, change and sign."""

from lookalike.releases.recipes.recipe import ColumnRecipe, Recipe

__all__ = ["ColumnRecipe", "Recipe"]
