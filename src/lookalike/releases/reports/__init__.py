"""Reports: what was done, what it cost and what is left, as one HTML file without script or outside link."""
