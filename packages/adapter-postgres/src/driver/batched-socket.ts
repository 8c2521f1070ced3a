import { Socket } from 'node:net';

type Done = (error?: Error | null) => void;

/** Sends everything written in one tick with one system call; for the driver's option `stream`. */
export class BatchedSocket extends Socket {
  #isBatching = false;

  override write(chunk: Uint8Array | string, encoding?: BufferEncoding | Done, done?: Done): boolean {
    if (!this.#isBatching) {
      this.#isBatching = true;
      this.cork();
      process.nextTick(() => {
        this.#isBatching = false;
        this.uncork();
      });
    }
    return typeof encoding === 'function' ? super.write(chunk, encoding) : super.write(chunk, encoding, done);
  }
}
