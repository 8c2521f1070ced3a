export const LARGE_COLUMNS = `
-- Without compression: lists read the sizes of large values first, which are then the sizes of their texts.
-- Citus supports this only before the table is distributed. Pages may then be larger, since some sizes are too small.
DO $$
BEGIN
  ALTER TABLE claims ALTER document SET STORAGE EXTERNAL, ALTER work_details SET STORAGE EXTERNAL;
EXCEPTION WHEN feature_not_supported THEN
END
$$;
`;
