import { type Path, pathTo } from '../../../state/paths/path.ts';
import type { Change, Strategy } from '../../../types.ts';
import { list, say } from '#base/words';
import { parameterLines, parseParameterLines } from './parameters.ts';
import { ChangeButton } from '../../../ui/dialogs/change-button.tsx';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { Opened } from '../../../ui/dialogs/opened.tsx';
import { textOf } from '../../../ui/dialogs/fields.ts';

const PATH = pathTo`api/admin/strategies`;

/** Creates a custom strategy. */
export function NewStrategy() {
  return (
    <DialogButton label="New strategy">
      {(close) => (
        <ChangeDialog
          title="New strategy"
          action="Create"
          change={(fields) => ({ method: 'POST', path: PATH, body: newStrategyOf(fields) })}
          done="The strategy is created."
          onClose={close}
        >
          <Field label="Name">
            <input {...controlOf('strategyType', 'name')} autocomplete="off" />
          </Field>
          <Field label="Description">
            <textarea {...controlOf('strategyType', 'description')} />
          </Field>
          <Parameters lines="" />
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

/** Edits, deprecates or deletes a custom strategy. Built-in strategies cannot be changed. */
export function StrategyActions({ strategy }: { readonly strategy: Strategy }) {
  const { name, editable, deprecated } = strategy;
  if (!editable) return null;
  return (
    <>
      <Edit strategy={strategy} />{' '}
      <ChangeButton
        needs="EDIT_STRATEGIES"
        change={stateChange(name, !deprecated)}
        undo={stateChange(name, deprecated)}
        done={say`${name} is ${deprecated ? 'active again' : 'deprecated'}.`}
        label={say`${deprecated ? 'Reactivate' : 'Deprecate'} ${name}`}
      >
        {deprecated ? 'Reactivate' : 'Deprecate'}
      </ChangeButton>{' '}
      <DialogButton label="Delete" hint={say`Delete ${name}`}>
        {(close) => (
          <ChangeDialog
            title="Delete this strategy"
            action="Delete"
            change={() => ({ method: 'DELETE', path: pathOf(name) })}
            done={say`${name} is deleted.`}
            mustType={name}
            onClose={close}
          />
        )}
      </DialogButton>
    </>
  );
}

const TITLE = 'Edit this strategy';

/** The API replaces the whole definition, so the dialog sends the title as it is. */
function Edit({ strategy: { name } }: { readonly strategy: Strategy }) {
  const path = pathOf(name);
  return (
    <DialogButton label="Edit" hint={say`Edit ${name}`}>
      {(close) => (
        <Opened<Strategy> title={TITLE} path={path} onClose={close}>
          {(opened, etag) => {
            const { title, description, parameters } = opened;
            return (
              <ChangeDialog
                title={TITLE}
                action="Save"
                change={(fields) => ({
                  method: 'PUT',
                  path,
                  body: {
                    title,
                    description: textOf(fields, 'description'),
                    parameters: parseParameterLines(textOf(fields, 'parameters'), parameters),
                  },
                })}
                edited={{ path, opened, etag, shown: shownOf }}
                undo={{ method: 'PUT', path, body: { title, description, parameters } }}
                done={say`${name} is changed.`}
                onClose={close}
              >
                <Field label="Description">
                  <textarea {...controlOf('strategyType', 'description')} defaultValue={description ?? ''} />
                </Field>
                <Parameters lines={parameterLines(parameters)} />
              </ChangeDialog>
            );
          }}
        </Opened>
      )}
    </DialogButton>
  );
}

/** What the form sets, by its labels. */
function shownOf({ description, parameters }: Strategy): Record<string, string> {
  return { Description: description ?? '', Parameters: list(parameterLines(parameters).split('\n')) };
}

/** `lines` holds one parameter a line. */
function Parameters({ lines }: { readonly lines: string }) {
  return (
    <Field label="Parameters, one a line, for example: countries: list, required">
      <textarea name="parameters" rows={4} defaultValue={lines} />
    </Field>
  );
}

function pathOf(name: string): Path {
  return pathTo`${PATH}/${name}`;
}

function stateChange(name: string, isDeprecated: boolean): Change {
  return { method: 'POST', path: pathTo`${pathOf(name)}/${isDeprecated ? 'deprecate' : 'reactivate'}` };
}

function newStrategyOf(fields: FormData): object {
  return {
    name: textOf(fields, 'name'),
    description: textOf(fields, 'description'),
    parameters: parseParameterLines(textOf(fields, 'parameters')),
  };
}
