import { type ReadonlySignal, type Signal, computed, signal } from '@preact/signals';

export type FormKind = 'dialog' | 'page';

/** What somebody has typed and not sent. Nothing drops it without asking. */
export type Forms = {
  /** Whether a form holds something. */
  readonly isTouched: ReadonlySignal<boolean>;
  /** What the reader wants to do although it drops what they typed, until they decide. */
  readonly question: Signal<(() => void) | undefined>;
  /** Whether a dialog does. What lies behind it is not read again meanwhile, because the dialog would go with what it is about. */
  readonly isDialogTouched: ReadonlySignal<boolean>;
  /** Marks a form as touched until the returned function is called. */
  readonly hold: (kind: FormKind) => () => void;
  /** Does what drops the forms, at once or after the reader has agreed. */
  readonly leave: (go: () => void) => void;
  /** Nothing of the forms is needed any more. */
  readonly settle: () => void;
};

/** The browser asks before it closes or reloads a page with a touched form. */
export function createForms(browser: Pick<Window, 'addEventListener'>): Forms {
  const held = signal<readonly { readonly kind: FormKind }[]>([]);
  const isTouched = computed(() => held.value.length > 0);
  const question = signal<(() => void) | undefined>(undefined);
  browser.addEventListener('beforeunload', (event) => {
    if (isTouched.peek()) event.preventDefault();
  });
  return {
    isTouched,
    isDialogTouched: computed(() => held.value.some(({ kind }) => kind === 'dialog')),
    question,
    hold(kind) {
      const form = { kind };
      held.value = [...held.peek(), form];
      return () => {
        held.value = held.peek().filter((other) => other !== form);
      };
    },
    leave(go) {
      if (isTouched.peek()) question.value = go;
      else go();
    },
    settle() {
      held.value = [];
      question.value = undefined;
    },
  };
}
