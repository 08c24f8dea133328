import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import type { FormKind } from '../../state/app/forms.ts';

/** `touch` marks what somebody types as lost if the component goes; `settle` takes the mark back. */
export function useTouched(kind: FormKind): { readonly touch: () => void; readonly settle: () => void } {
  const { forms } = useConsole();
  const release = useRef<() => void>(undefined);
  const settle = (): void => {
    release.current?.();
    release.current = undefined;
  };
  useEffect(() => settle, []);
  return {
    touch() {
      release.current ??= forms.hold(kind);
    },
    settle,
  };
}
