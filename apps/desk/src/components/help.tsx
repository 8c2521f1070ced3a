import { Button, focusHeading } from '@svc/web-app/components/ui';
import type { Language } from '@svc/web-app/texts/languages';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { desk, texts } from '../app.ts';
import type { Screen } from '../navigation.ts';
import { DOCS } from '../root.ts';
import { type HelpPoint, type HelpText, helpEn } from '../texts/help-en.ts';
import { helpEs } from '../texts/help-es.ts';

type Topic = Screen | 'claim';
/** The compiler asks for the help of a new screen. */
const SCREENS: Readonly<Record<Language, Readonly<Record<Topic, HelpText>>>> = {
  en: helpEn.screens,
  es: helpEs.screens,
};
const LABELS = { en: helpEn, es: helpEs };

/** What the screen below is for. It takes the focus, and gives it back when it is closed. */
export function Help({ screen, close }: { readonly screen: Topic; readonly close: () => void }) {
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    panel.current?.querySelector('h2')?.focus();
    return () => {
      if (panel.current?.contains(document.activeElement) !== true) return;
      // The row of a list may have gone.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else focusHeading();
    };
  }, []);
  const { nav, claim, guide, ...words } = texts.value;
  const language = desk.language.language.value;
  const { [screen]: help } = SCREENS[language];
  return (
    <aside
      class="card help"
      aria-labelledby={id}
      ref={panel}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <div class="row spread">
        <h2 id={id} tabIndex={-1}>
          {nav.help}: {screen === 'claim' ? claim.details : nav[screen]}
        </h2>
        <Button onClick={close}>{words.close}</Button>
      </div>
      <p>{help.purpose}</p>
      <div class="help-points">
        <Points of={help.words} />
        <h3>{LABELS[language].trouble}</h3>
        <Points of={help.trouble} />
        <h3>{LABELS[language].who}</h3>
        <p>{help.who}</p>
        <a href={`${DOCS}${help.guide}`}>{guide}</a>
      </div>
    </aside>
  );
}

const Points = ({ of }: { readonly of: readonly HelpPoint[] }) => (
  <ul>
    {of.map(([term, text]) => (
      <li key={term}>
        <span class="strong">{term}:</span> {text}
      </li>
    ))}
  </ul>
);
