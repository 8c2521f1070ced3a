/**
 * Holds a Web Lock while the task runs, so that tabs and workers of this browser take turns. Without Web Locks the task
 * just runs.
 */
export const withLock = <T>(name: 'answers' | 'work' | 'settings', task: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? (navigator.locks.request(name, task) as Promise<T>) : task();
