"""What the workbench asks of the verbs, one file per step. It runs in the worker process; answers are plain JSON."""
