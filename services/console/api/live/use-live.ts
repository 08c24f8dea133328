import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import type { LiveEvents } from './live.ts';

/** The live events, while the component is shown. */
export function useLive(): LiveEvents {
  const { live } = useConsole();
  useEffect(live.use, [live]);
  return live;
}
