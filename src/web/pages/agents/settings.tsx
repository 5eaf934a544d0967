import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import type { Input } from '../../api/routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Switch } from '../../ui/form.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import { Term } from '../../ui/term.tsx';
import { type Agent, strategyRule, strategyWords } from './agent-state.ts';
import styles from './agents.module.css';
import { SETTING_FIELDS, settingFault } from './setting-fields.ts';

type Body = NonNullable<Input<'PUT /api/agents/:agent/settings'>['body']>;

/** Settings of an agent: only what was changed is sent; a fault is shown at its field. */
export function AgentSettings({ agent }: { readonly agent: Agent }) {
  const [changed, setChanged] = useState<Body>({});
  const save = useChange('PUT /api/agents/:agent/settings', ['GET /api/agents/']);
  const strategy = String(changed.strategy ?? agent.settings.strategy);
  const hasChanges = Object.keys(changed).length > 0;
  const send = (): void =>
    save.mutate(
      { params: { agent: agent.agent }, body: changed },
      { onSuccess: () => setChanged({}) },
    );
  return (
    <Card title="Settings">
      <form
        className={styles['settings']}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {agent.strategies.length < 2 ? (
          <p className={styles['aside']}>{strategyRule(agent, strategy)}</p>
        ) : (
          <fieldset className={styles['strategies']}>
            <legend className="hidden-visually">Strategy</legend>
            {agent.strategies.map((each) => {
              const { name, risk } = strategyWords(each);
              return (
                <label key={each}>
                  <input
                    type="radio"
                    name="strategy"
                    value={each}
                    checked={each === strategy}
                    onChange={() => setChanged({ ...changed, strategy: each })}
                  />
                  <span>
                    <strong>{name}</strong>
                    {risk === null ? null : <em>{risk}</em>}
                    <small>{strategyRule(agent, each)}</small>
                  </span>
                </label>
              );
            })}
          </fieldset>
        )}
        {agent.asset === null ? null : (
          <p className={styles['aside']}>
            What is meant by <Term of="prediction">prediction</Term>,{' '}
            <Term of="signalStrength">signal strength</Term>, <Term of="oracle">oracle price</Term>.
          </p>
        )}
        <p className={styles['aside']}>
          Sizes of trades are before fees: what the venue takes leaves your balance on top of them.
        </p>
        <div className={styles['fields']}>
          {SETTING_FIELDS.map(([field, label, before, after]) => {
            const now = agent.settings[field];
            if (now === undefined) return null;
            return (
              <Field
                key={field}
                label={label}
                inputMode="decimal"
                value={String(changed[field] ?? now)}
                refused={settingFault(save.error?.faultOf(field) ?? null)}
                {...(before === '' ? {} : { before })}
                {...(after === '' ? {} : { after })}
                onChange={(event) => setChanged({ ...changed, [field]: event.target.value })}
              />
            );
          })}
          <Switch
            label="Notify me of its trades"
            checked={Boolean(changed.notifyOnTrade ?? agent.settings.notifyOnTrade)}
            onChange={(event) => setChanged({ ...changed, notifyOnTrade: event.target.checked })}
          />
        </div>
        {save.error === null ? null : (
          <ProblemNote
            problem={save.error}
            fields={SETTING_FIELDS.flatMap(([field]) =>
              agent.settings[field] === undefined ? [] : [field],
            )}
          />
        )}
        <div className={styles['actions']}>
          {hasChanges ? (
            <Button variant="plain" onClick={() => setChanged({})}>
              Undo
            </Button>
          ) : null}
          <Button variant="primary" type="submit" isBusy={save.isPending} disabled={!hasChanges}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}
