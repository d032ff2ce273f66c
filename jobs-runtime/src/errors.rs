//! Every error code with its cause and its fix: where the links of errors lead. It is the book's
//! page on errors, and holds nothing else.
#![doc = include_str!("../../book/src/errors.md")]
