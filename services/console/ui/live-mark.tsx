import { useLive } from '../api/live/use-live.ts';
import { formatAge } from '../state/format.ts';
import { useNow } from './now.ts';

/** The server sends numbers every two seconds. */
const LATE_MS = 7000;

/** "live", or the age of the last numbers of the live stream. */
export function LiveMark() {
  const at = useLive().countsAt.value;
  const now = useNow();
  if (at === undefined) return <span class="live">connecting</span>;
  const ageMs = now - at;
  if (ageMs < LATE_MS) return <span class="live on">live</span>;
  return <span class="live late">last numbers {formatAge(ageMs)} ago</span>;
}
