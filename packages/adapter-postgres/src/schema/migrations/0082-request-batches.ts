export const REQUEST_BATCHES = `
-- The other requests of the same firm and batch, none later than the row. Null: none, as in rows of earlier builds, which
-- read and write the table beside this one.
ALTER TABLE request_log ADD COLUMN others json;
-- Next statement
-- They stay in the row, uncompressed.
ALTER TABLE request_log SET (toast_tuple_target = 8160);
-- Next statement
-- So do the events of an audit row: compressing them takes longer than anything else that is done for them.
ALTER TABLE audit_log SET (toast_tuple_target = 8160);
`;
