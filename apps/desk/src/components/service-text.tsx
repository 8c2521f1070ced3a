import { texts } from '../app.ts';

/** A text of the service, in the language of the page where that is known. */
export function ofService(text: string) {
  const shown = texts.value.ofService(text);
  return <span {...(shown === text && { lang: 'en' })}>{shown}</span>;
}
