import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { openDialogs } from '../open-dialogs.ts';
import { ToastMessage } from './toast.tsx';
import { Settling, useSettling } from './ui.tsx';

/** A modal dialog. */
export function Dialog(props: {
  readonly title: string;
  /** Also for Escape, Back and a tap outside. Without it, only a button of the dialog closes it. */
  readonly close?: () => void;
  /** Takes the focus afterwards, unless an element that was in use when the dialog appeared is still there. */
  readonly focusAfter?: (() => HTMLElement | undefined) | undefined;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const settled = useSettling('');
  /** A selection that is dragged out of the dialog ends in a click on it, too. */
  const isPressedOutside = useRef(false);
  const latest = useRef(props);
  latest.current = props;
  // An ordinary effect is cleaned up after the next frame: until then, Back would close what is gone.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    const open = { id, close: props.close && (() => latest.current.close?.()) };
    openDialogs.value = [...openDialogs.value, open];
    return () => {
      openDialogs.value = openDialogs.value.filter((one) => one !== open);
      dialog?.close();
      // After rendering, which may have replaced the element.
      requestAnimationFrame(() => {
        const heading = document.querySelector<HTMLElement>('main h1');
        const isLost = document.activeElement === document.body;
        // The heading and the page have the focus when nothing else does.
        const wasInUse = before?.isConnected === true && !before.matches('body, h1');
        const wanted = wasInUse ? before : (latest.current.focusAfter?.() ?? before);
        const target = wanted?.isConnected === true ? wanted : isLost ? heading : null;
        if (target instanceof HTMLElement) target.focus({ preventScroll: true });
      });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it through the cancel event
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.close?.();
      }}
      // A browser may insist on closing it, such as at the second Escape; after unmounting there is no element.
      onClose={() => element.current !== null && (props.close ?? (() => element.current?.showModal()))()}
      onPointerDown={(event) => {
        isPressedOutside.current = event.target === element.current;
      }}
      onClick={(event) => {
        if (event.target === element.current && isPressedOutside.current && settled.takes(event))
          props.close?.();
      }}
    >
      <div class="sheet">
        <h2 id={id}>{props.title}</h2>
        <Settling.Provider value={settled}>{props.children}</Settling.Provider>
        <ToastMessage dialog={id} />
      </div>
    </dialog>
  );
}
