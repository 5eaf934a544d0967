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
import {
  addressFault,
  costWords,
  reachOf,
  scoreFault,
  shownPaths,
  slugFault,
  slugsIn,
  type TypedAbilities,
} from './registration.ts';
import styles from './wallet.module.css';

type Registration = Input<'POST /api/web3/registry/register'>['body'];
type Feedback = Input<'POST /api/web3/registry/feedback'>['body'];
type Recorded = Output<'POST /api/web3/registry/register'>;
type Reach = Exclude<Registration['services'][number]['type'], 'OASF'>;

/** What an entry costs, network fee and its accounts, as the chain asks it: measured. */
const ENTRY_SOL = '0.0092';

/** By what others may reach an agent: what it is called, and what its address is. */
const REACHES: readonly (readonly [type: Reach, shown: string, address: string])[] = [
  ['MCP', 'MCP server, for assistants', 'The web address of the server, beginning with https://.'],
  [
    'A2A',
    'A2A server, for other agents',
    'The web address of the server, beginning with https://.',
  ],
  ['ENS', 'ENS name, on Ethereum', 'Such as agent.eth.'],
  ['SNS', 'SNS name, on Solana', 'Such as agent.sol.'],
  ['DID', 'DID, a decentralized identifier', 'Such as did:web:agents.example.com.'],
  ['wallet', 'Wallet address', 'The address of the wallet that is the agent’s own.'],
];

/** Makes an entry of one of one's own agents. */
export function RegisterForm() {
  const agents = useRead('GET /api/agents/', {});
  const [agent, setAgent] = useState<Registration['agent'] | null>(null);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [imageId, setImageId] = useState<string | null>(null);
  const [reach, setReach] = useState<Reach | null>(null);
  const [address, setAddress] = useState('');
  const [abilities, setAbilities] = useState<TypedAbilities>({
    skills: '',
    domains: '',
    address: '',
  });
  const attempt = useAttempt();
  const { problem } = attempt;
  const chosen = agent ?? agents.data?.data[0]?.agent ?? null;
  const service = reach === null ? null : { type: reach, value: address };
  const wrongAddress = reach === null ? null : addressFault(reach, address);
  const body: Registration | null =
    chosen === null
      ? null
      : {
          agent: chosen,
          name,
          description,
          ...reachOf(service, abilities),
          ...(imageId === null ? {} : { imageId }),
        };
  return (
    <AskedForm
      attempt={attempt}
      press="Register it"
      what="entry"
      question={`Register ${name}?`}
      costSol={ENTRY_SOL}
      fields={body === null ? [] : shownPaths(body)}
      isWrong={
        wrongAddress !== null ||
        slugFault('skill', abilities.skills) !== null ||
        slugFault('domain', abilities.domains) !== null ||
        addressFault('OASF', abilities.address) !== null
      }
      send={async () =>
        body === null
          ? null
          : sendOnce('registry entry', body, (idempotencyKey) =>
              call('POST /api/web3/registry/register', { body }, { idempotencyKey }),
            )
      }
    >
      <Select
        label="Agent"
        required
        value={chosen ?? ''}
        hint="Which of your agents the entry is of. The newest hash of its decisions goes into it, so that others can check them."
        refused={problem?.faultOf('agent')}
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
        hint="What others see in the registry, in one line."
        refused={problem?.faultOf('name')}
        onChange={(event) => setName(event.target.value)}
      />
      <Field
        label="Description"
        isOptional
        value={description}
        hint="What the agent does, in a sentence or two."
        refused={problem?.faultOf('description')}
        onChange={(event) => setDescription(event.target.value)}
      />
      <Select
        label="How others reach it"
        isOptional
        value={reach ?? ''}
        onChange={(event) =>
          setReach(REACHES.find(([type]) => type === event.target.value)?.[0] ?? null)
        }
      >
        <option value="">Not at all</option>
        {REACHES.map(([type, shown]) => (
          <option key={type} value={type}>
            {shown}
          </option>
        ))}
      </Select>
      {reach === null ? null : (
        <Field
          label="Its address there"
          required
          value={address}
          hint={REACHES.find(([type]) => type === reach)?.[2]}
          fault={wrongAddress ?? problem?.faultOf('services/0/value') ?? null}
          onChange={(event) => setAddress(event.target.value)}
        />
      )}
      <Abilities
        typed={abilities}
        onType={setAbilities}
        problem={problem}
        service={reach === null ? 0 : 1}
      />
      <PictureField isOptional onUploaded={setImageId} />
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
        label="Skills"
        isOptional
        value={typed.skills}
        hint="What the agent can do, so that others find it: names of the Open Agentic Schema Framework (OASF), with commas between them."
        placeholder="advanced_reasoning_planning/strategic_planning"
        fault={slugFault('skill', typed.skills) ?? faultIn(problem, 'skills', typed.skills)}
        onChange={(event) => onType({ ...typed, skills: event.target.value })}
      />
      <Field
        label="Fields of work"
        isOptional
        value={typed.domains}
        hint="In what fields it works: names of the same framework, which calls them domains."
        placeholder="finance_and_business/investment_services"
        fault={slugFault('domain', typed.domains) ?? faultIn(problem, 'domains', typed.domains)}
        onChange={(event) => onType({ ...typed, domains: event.target.value })}
      />
      <Field
        label="Where its skills and fields are described"
        type="url"
        required={isAble}
        isOptional={!isAble}
        value={typed.address}
        hint="A web address; it is needed once you name a skill or a field."
        placeholder="https://agents.example.com/oasf"
        fault={
          addressFault('OASF', typed.address) ??
          problem?.faultOf(`services/${service}/value`) ??
          null
        }
        onChange={(event) => onType({ ...typed, address: event.target.value })}
      />
    </>
  );
}

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
      fields={['agent', 'tag1', 'value', 'score', 'comment']}
      isWrong={scoreFault(form.score) !== null}
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
        hint="On Solana: 32 to 44 letters and digits, as its owner or the registry shows them."
        refused={problem?.faultOf('agent')}
        onChange={(event) => change({ agent: event.target.value })}
      />
      <div className={styles['line']}>
        <Field
          label="What you rate"
          isOptional
          value={form.tag1}
          hint="One word, such as starred, uptime or successRate."
          refused={problem?.faultOf('tag1')}
          onChange={(event) => change({ tag1: event.target.value })}
        />
        <Field
          label="Your figure"
          required
          inputMode="decimal"
          value={form.value}
          hint="A number: 99.7 for an uptime of 99.7 %."
          refused={problem?.faultOf('value')}
          onChange={(event) => change({ value: event.target.value })}
        />
        <Field
          label="Score"
          isOptional
          inputMode="numeric"
          value={form.score}
          hint="In all, from 0 to 100."
          fault={scoreFault(form.score)}
          refused={problem?.faultOf('score')}
          onChange={(event) => change({ score: event.target.value })}
        />
      </div>
      <Field
        label="Comment"
        isOptional
        value={form.comment}
        hint="Kept as a public file, for good."
        refused={problem?.faultOf('comment')}
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
  costSol = null,
  fields,
  isWrong = false,
  send,
  children,
}: {
  readonly attempt: Attempt;
  readonly press: string;
  readonly what: string;
  readonly question: string;
  /** What it costs about; null where that is next to nothing. */
  readonly costSol?: string | null;
  /** Paths in the request whose faults its fields show. */
  readonly fields: readonly string[];
  /** True while a field shows that it was filled in wrongly. */
  readonly isWrong?: boolean;
  send(): Promise<Recorded | null>;
  readonly children: ReactNode;
}) {
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<Recorded | null>(null);
  const wallets = useRead('GET /api/web3/view', {});
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
        <p className="muted">Fields are required unless they say that they are optional.</p>
        {children}
        <Button variant="primary" type="submit" isWide disabled={isWrong}>
          {press}
        </Button>
        <Refusal problem={problem} what={what} fields={fields} onSignedIn={() => void write()} />
        {made === null ? null : (
          <p role="status">
            {made.state === 'recorded'
              ? 'It is recorded.'
              : 'It was sent; the list below follows it.'}
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
            what the accounts of it hold: {costWords(costSol, wallets.data)}. Everybody can read it,
            and it cannot be taken back.
          </p>
        </Confirm>
      ) : null}
    </Card>
  );
}
