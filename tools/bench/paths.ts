/** The measured request paths. */
export const PATHS = ['get', 'page', 'send', 'accept'] as const;
export type Path = (typeof PATHS)[number];
