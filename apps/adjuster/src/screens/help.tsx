import { ScreenHeader } from '@svc/web-app/components/ui';
import { allTexts } from '../all-texts.ts';
import { session } from '../app.ts';

/** For adjusters; it is stored with the app, so it can be read without a network. */
export function Help() {
  const { help, signIn } = allTexts.value;
  return (
    <>
      <ScreenHeader title={help.title} back={session.isSignedIn() ? '#/settings' : '#/'}>
        <p class="muted">{help.lead}</p>
      </ScreenHeader>
      {help.sections.map(({ title, points }) => (
        <section key={title} class="card">
          <h2>{title}</h2>
          <ul class="points">
            {points.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        </section>
      ))}
      {!session.isSignedIn() && (
        <p>
          <a class="button" href="#/">
            {signIn.title}
          </a>
        </p>
      )}
    </>
  );
}
