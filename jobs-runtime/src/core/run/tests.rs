//! What a run decides, told through its own interface.
