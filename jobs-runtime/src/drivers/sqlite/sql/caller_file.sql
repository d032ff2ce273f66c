-- The file that a connection of the caller's leads to, empty for one in memory, and whether it
-- follows foreign keys. Settings of the connection: no lock is needed.
SELECT d.file, f.foreign_keys
FROM pragma_database_list d, pragma_foreign_keys f WHERE d.name = 'main';
