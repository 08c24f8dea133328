import type { Change } from '../../../types.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { useSecretDialog } from '../../people/tokens/secret-dialog.tsx';
import { PATH } from './actions.tsx';

/** Subscribes a receiver, then shows the secret of its signatures once. */
export function NewSubscription() {
  const secretDialog = useSecretDialog();
  return (
    <>
      <DialogButton label="New subscription">
        {(close) => (
          <ChangeDialog<{ secret: string | null }>
            title="New subscription"
            action="Subscribe"
            change={newSubscriptionChange}
            done="The subscription is created."
            onClose={close}
            onDone={({ secret }) => {
              if (secret !== null) secretDialog.show(secret);
            }}
          >
            <Receiver />
            <Contents />
            <Schedule />
          </ChangeDialog>
        )}
      </DialogButton>
      {secretDialog.dialog}
    </>
  );
}

function Receiver() {
  return (
    <>
      <Field label="Name">
        <input {...controlOf('subscription', 'name')} autocomplete="off" />
      </Field>
      <Field label="To">
        <select name="channel">
          <option value="webhook">a webhook: JSON with a signature</option>
          <option value="slack">an incoming webhook of Slack</option>
        </select>
      </Field>
      <Field label="Address, which begins with https://">
        <input {...controlOf('subscription', 'url')} type="url" required autocomplete="off" />
      </Field>
    </>
  );
}

const CAUSES = [
  ['verdict-appeared', 'a verdict appears'],
  ['verdict-ended', 'a verdict ends'],
  ['change-request-waiting', 'a change request waits for approval'],
  ['token-ending', 'a token ends soon'],
  ['event', 'an event happens'],
] as const;

function Contents() {
  return (
    <>
      <fieldset>
        <legend>When</legend>
        {CAUSES.map(([cause, label]) => (
          <label key={cause}>
            <input
              type="checkbox"
              name="causes"
              value={cause}
              defaultChecked={cause === 'verdict-appeared'}
            />{' '}
            {label}
          </label>
        ))}
      </fieldset>
      <Field label="Only these verdicts, comma separated, such as always_on; all if empty">
        <input name="verdicts" autocomplete="off" />
      </Field>
      <Field label="Only events of these types, comma separated; all if empty">
        <input name="eventTypes" autocomplete="off" />
      </Field>
      <Field label="Only of this project; all if empty">
        <input {...controlOf('subscription', 'project')} autocomplete="off" />
      </Field>
      <Field label="Only of this owner; all if empty">
        <input {...controlOf('subscription', 'owner')} autocomplete="off" />
      </Field>
      <Field label="Only with this tag, as type:value; all if empty">
        <input {...controlOf('subscription', 'tag')} autocomplete="off" />
      </Field>
    </>
  );
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

function Schedule() {
  return (
    <>
      <Field label="Messages">
        <select name="schedule">
          <option value="at-once">at once</option>
          <option value="daily">in a digest each day</option>
          <option value="weekly">in a digest each week</option>
        </select>
      </Field>
      <Field label="Hour of a digest (UTC)">
        <input {...controlOf('subscription', 'hour')} type="number" required defaultValue="8" />
      </Field>
      <Field label="Day of a weekly digest">
        <select name="weekday">
          {WEEKDAYS.map((day, index) => (
            <option key={day} value={index + 1}>
              {day}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}

function newSubscriptionChange(fields: FormData): Change {
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const list = (name: string): string[] =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const orNull = (name: string): string | null => (text(name) === '' ? null : text(name));
  return {
    method: 'POST',
    path: PATH,
    body: {
      name: text('name'),
      channel: text('channel'),
      url: text('url'),
      causes: fields.getAll('causes'),
      verdicts: list('verdicts'),
      eventTypes: list('eventTypes'),
      project: orNull('project'),
      owner: orNull('owner'),
      tag: orNull('tag'),
      schedule: text('schedule'),
      hour: Number(text('hour')),
      weekday: Number(text('weekday')),
    },
  };
}
