-- The store's clock, in milliseconds: the server's, which is one for all clients.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
