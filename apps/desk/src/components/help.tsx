import { Button, focusHeading } from '@svc/web-app/components/ui';
import type { Language } from '@svc/web-app/texts/languages';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { desk, texts } from '../app.ts';
import type { Screen } from '../navigation.ts';
import { DOCS } from '../root.ts';
import helpEn from '../texts/help-en.json' with { type: 'json' };
import helpEs from '../texts/help-es.json' with { type: 'json' };

type Topic = Screen | 'claim';
/** What a word means, or what to do in a case. */
type Points = Readonly<Record<string, string>>;
interface HelpText {
  readonly purpose: string;
  readonly words: Points;
  readonly trouble: Points;
  readonly who: string;
}

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
        <List of={help.words} />
        <h3>{LABELS[language].trouble}</h3>
        <List of={help.trouble} />
        <h3>{LABELS[language].who}</h3>
        <p>{help.who}</p>
        <a href={`${DOCS}${helpEn.screens[screen].guide}`}>{guide}</a>
      </div>
    </aside>
  );
}

const List = ({ of }: { readonly of: Points }) => (
  <ul>
    {Object.entries(of).map(([term, text]) => (
      <li key={term}>
        <span class="strong">{term}:</span> {text}
      </li>
    ))}
  </ul>
);
