/** Runs one at a time on the whole device, in whichever tab or worker. */
export const exclusively = <T>(name: 'answers' | 'work' | 'settings', work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? (navigator.locks.request(name, work) as Promise<T>) : work();
