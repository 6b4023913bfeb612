"""Released rows as sorted codes: what engines share that recode rows with our code."""
