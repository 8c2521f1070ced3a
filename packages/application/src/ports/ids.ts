export interface Ids {
  /** A new UUID; sorts after earlier ones of the same process, which keeps indexes dense. */
  next(): string;
}
