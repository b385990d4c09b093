"""The parts that modules in users' projects are put together from; idemlint only reads their text.

A module is one operation, the engine and the records that it needs, and one store.
"""
