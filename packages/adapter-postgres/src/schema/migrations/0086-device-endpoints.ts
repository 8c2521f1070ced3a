export const DEVICE_ENDPOINTS = `
-- To find the earlier registrants of an endpoint: after a release, or on a morning with many offers, all apps register
-- within minutes.
CREATE INDEX devices_endpoint ON devices (endpoint_hash);
`;
