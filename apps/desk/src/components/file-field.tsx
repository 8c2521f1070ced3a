import { useId } from 'preact/hooks';
import { texts } from '../app.ts';

/** The same file can be chosen again, once it is corrected. */
export function FileField({ choose }: { readonly choose: (file: File) => void }) {
  const id = useId();
  const take = (input: HTMLInputElement): void => {
    const [chosen] = input.files ?? [];
    input.value = '';
    if (chosen !== undefined) choose(chosen);
  };
  return (
    <div class="field">
      <label for={id}>{texts.value.upload.file}</label>
      <input id={id} type="file" onChange={({ currentTarget }) => take(currentTarget)} />
    </div>
  );
}
