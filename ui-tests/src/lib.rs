//! Nothing: the tests are in `tests/`, their cases in `cases/` and `fixtures/`.
