export const DEVICE_SESSIONS = `
-- Token hash of the session that registered the device, with which it ends. Null: registered with an earlier release.
ALTER TABLE devices ADD COLUMN session_hash text COLLATE "C";
-- Next statement
-- SHA-256 of the endpoint of the subscription, which belongs to one device. Null: registered with an earlier release.
ALTER TABLE devices ADD COLUMN endpoint_hash text COLLATE "C";
`;
