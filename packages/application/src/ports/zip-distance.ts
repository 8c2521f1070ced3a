/** Miles between the centers of two ZIP codes, rounded; null: one of them is unknown. */
export type ZipDistance = (from: string, to: string) => number | null;
