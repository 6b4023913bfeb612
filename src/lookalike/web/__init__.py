"""The workbench: a table, a person and a browser. It draws and listens; all thinking is done by the verbs, elsewhere.

`serving.py` starts it, `state.py` holds what was decided, `tasks/` runs in a process of its own and calls the verbs,
`steps/` draws, one file per step. NiceGUI is imported by what draws and by nothing else.
"""
