import { typed } from './app.ts';

/** A text that is typed and not saved yet, which outlasts a closed page. Undefined ends it: the saved one shows. */
export function typedField(
  key: string,
  saved = '',
): [text: string, type: (text: string | undefined) => void] {
  const { fields } = typed;
  return [fields.texts.value[key] ?? saved, (text) => fields.keep([key], text)];
}
