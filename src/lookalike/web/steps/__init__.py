"""The steps of the workbench, one file each: what a person sees and does there."""
