import { type ReactNode, useState } from 'react';
import { type Attempt, useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { sendOnce } from '../../api/money-request.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Input, Output } from '../../api/routes.ts';
import { Refusal } from '../../app/refusal.tsx';
import { agentName } from '../../format/agent-name.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { PictureField } from './picture-field.tsx';
import { reachOf, slugsIn, type TypedAbilities } from './registration.ts';
import styles from './wallet.module.css';

type Registration = Input<'POST /api/web3/registry/register'>['body'];
type Feedback = Input<'POST /api/web3/registry/feedback'>['body'];
type Recorded = Output<'POST /api/web3/registry/register'>;

const SERVICES = ['MCP', 'A2A', 'ENS', 'SNS', 'DID', 'wallet'] as const;

/** Makes an entry of one of one's own agents. */
export function RegisterForm() {
  const agents = useRead('GET /api/agents/', {});
  const [agent, setAgent] = useState<Registration['agent'] | null>(null);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [imageId, setImageId] = useState<string | null>(null);
  const [service, setService] = useState<(typeof SERVICES)[number]>('MCP');
  const [address, setAddress] = useState('');
  const [abilities, setAbilities] = useState<TypedAbilities>({
    skills: '',
    domains: '',
    address: '',
  });
  const attempt = useAttempt();
  const { problem } = attempt;
  const isReached = address.trim() !== '';
  const chosen = agent ?? agents.data?.data[0]?.agent ?? null;
  return (
    <AskedForm
      attempt={attempt}
      press="Register it"
      what="entry"
      question={`Register ${name}?`}
      send={async () => {
        if (chosen === null) return null;
        const body: Registration = {
          agent: chosen,
          name,
          description,
          ...reachOf({ type: service, value: address }, abilities),
          ...(imageId === null ? {} : { imageId }),
        };
        return sendOnce('registry entry', body, (idempotencyKey) =>
          call('POST /api/web3/registry/register', { body }, { idempotencyKey }),
        );
      }}
    >
      <Select
        label="Agent"
        value={chosen ?? ''}
        hint="The newest link of its decisions goes into the entry, so that others can check them."
        onChange={(event) =>
          setAgent(
            agents.data?.data.find((each) => each.agent === event.target.value)?.agent ?? null,
          )
        }
      >
        {(agents.data?.data ?? []).map((each) => (
          <option key={each.agent} value={each.agent}>
            {agentName(each.agent)}
          </option>
        ))}
      </Select>
      <Field
        label="Name"
        required
        value={name}
        fault={problem?.faultOf('name') ?? null}
        onChange={(event) => setName(event.target.value)}
      />
      <Field
        label="What it does"
        value={description}
        fault={problem?.faultOf('description') ?? null}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div className={styles['line']}>
        <Select
          label="Reached by"
          value={service}
          onChange={(event) =>
            setService(SERVICES.find((each) => each === event.target.value) ?? service)
          }
        >
          {SERVICES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Select>
        <Field
          label="At, if at all"
          value={address}
          fault={isReached ? (problem?.faultOf('services/0/value') ?? null) : null}
          onChange={(event) => setAddress(event.target.value)}
        />
      </div>
      <Abilities
        typed={abilities}
        onType={setAbilities}
        problem={problem}
        service={isReached ? 1 : 0}
      />
      <PictureField label="Picture, if any" onUploaded={setImageId} />
    </AskedForm>
  );
}

/** What the agent can do and in what fields, in the taxonomy of the registry. */
function Abilities({
  typed,
  onType,
  problem,
  service,
}: {
  readonly typed: TypedAbilities;
  onType(typed: TypedAbilities): void;
  readonly problem: Problem | null;
  /** Number of the service in what is sent. */
  readonly service: number;
}) {
  const isAble = slugsIn(`${typed.skills} ${typed.domains}`).length > 0;
  return (
    <>
      <Field
        label="Skills, if you say"
        value={typed.skills}
        hint={SLUGS_HINT}
        placeholder="advanced_reasoning_planning/strategic_planning"
        fault={faultIn(problem, 'skills', typed.skills)}
        onChange={(event) => onType({ ...typed, skills: event.target.value })}
      />
      <Field
        label="Domains, if you say"
        value={typed.domains}
        placeholder="finance_and_business/investment_services"
        fault={faultIn(problem, 'domains', typed.domains)}
        onChange={(event) => onType({ ...typed, domains: event.target.value })}
      />
      <Field
        label="Where skills and domains are described"
        type="url"
        required={isAble}
        value={typed.address}
        placeholder="https://agents.example.com/oasf"
        fault={problem?.faultOf(`services/${service}/value`) ?? null}
        onChange={(event) => onType({ ...typed, address: event.target.value })}
      />
    </>
  );
}

const SLUGS_HINT =
  'Names of the Open Agentic Schema Framework, with commas between them; whoever searches the registry finds the agent by them.';

/** The fault of a list, or of the first of its slugs that has one, by the slug. */
function faultIn(problem: Problem | null, name: string, text: string): string | null {
  const own = problem?.faultOf(name) ?? null;
  if (own !== null) return own;
  for (const [index, slug] of slugsIn(text).entries()) {
    const fault = problem?.faultOf(`${name}/${index}`) ?? null;
    if (fault !== null) return `${slug}: ${fault}`;
  }
  return null;
}

/** Gives feedback on another user's agent. */
export function FeedbackForm() {
  const [form, setForm] = useState({
    agent: '',
    value: '',
    score: '',
    tag1: 'starred',
    comment: '',
  });
  const attempt = useAttempt();
  const { problem } = attempt;
  const change = (part: Partial<typeof form>): void => setForm({ ...form, ...part });
  return (
    <AskedForm
      attempt={attempt}
      press="Leave this feedback"
      what="feedback"
      question="Leave this feedback?"
      send={() => {
        const body: Feedback = {
          agent: form.agent.trim(),
          value: form.value.trim(),
          ...(form.score.trim() === '' ? {} : { score: Number(form.score) }),
          ...(form.tag1.trim() === '' ? {} : { tag1: form.tag1.trim() }),
          ...(form.comment.trim() === '' ? {} : { comment: form.comment.trim() }),
        };
        return sendOnce('registry feedback', body, (idempotencyKey) =>
          call('POST /api/web3/registry/feedback', { body }, { idempotencyKey }),
        );
      }}
    >
      <Field
        label="Address of the agent’s entry"
        required
        value={form.agent}
        fault={problem?.faultOf('agent') ?? null}
        onChange={(event) => change({ agent: event.target.value })}
      />
      <div className={styles['line']}>
        <Field
          label="What is rated"
          value={form.tag1}
          hint="Such as starred, uptime, successRate."
          fault={problem?.faultOf('tag1') ?? null}
          onChange={(event) => change({ tag1: event.target.value })}
        />
        <Field
          label="Value"
          required
          inputMode="decimal"
          value={form.value}
          fault={problem?.faultOf('value') ?? null}
          onChange={(event) => change({ value: event.target.value })}
        />
        <Field
          label="Score, 0 to 100"
          inputMode="numeric"
          value={form.score}
          fault={problem?.faultOf('score') ?? null}
          onChange={(event) => change({ score: event.target.value })}
        />
      </div>
      <Field
        label="In words, if you like"
        value={form.comment}
        fault={problem?.faultOf('comment') ?? null}
        onChange={(event) => change({ comment: event.target.value })}
      />
    </AskedForm>
  );
}

/** A form that asks before it writes something for good. */
function AskedForm({
  attempt: { isBusy, problem, make },
  press,
  what,
  question,
  send,
  children,
}: {
  readonly attempt: Attempt;
  readonly press: string;
  readonly what: string;
  readonly question: string;
  send(): Promise<Recorded | null>;
  readonly children: ReactNode;
}) {
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<Recorded | null>(null);
  const write = async (): Promise<void> => {
    await make(async () => {
      setMade(await send());
      await readAgain(['GET /api/web3/registry/', 'GET /api/web3/view']);
    });
    setAsking(false);
  };
  return (
    <Card isPadded>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          setMade(null);
          setAsking(true);
        }}
      >
        {children}
        <Button look="primary" type="submit" isWide>
          {press}
        </Button>
        <Refusal problem={problem} what={what} onSignedIn={() => void write()} />
        {made === null ? null : (
          <p role="status">
            {made.state === 'recorded'
              ? 'It is recorded.'
              : 'It is on its way; the list below follows it.'}
          </p>
        )}
      </form>
      {isAsking ? (
        <Confirm
          title={question}
          action={press}
          isBusy={isBusy}
          onConfirm={() => void write()}
          onClose={() => setAsking(false)}
        >
          <p>
            It is written in one transaction of your Solana wallet, which pays the network’s fee and
            what the accounts of it hold, a fraction of a SOL. Everybody can read it, and it cannot
            be taken back.
          </p>
        </Confirm>
      ) : null}
    </Card>
  );
}
