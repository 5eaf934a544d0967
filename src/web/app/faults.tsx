import { Component, type ReactNode, useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/state.tsx';

/** Errors of files of the app that did not come: this device is offline, or they are gone. */
const missing = new WeakSet<object>();
addEventListener('vite:preloadError', (event) => missing.add(event.payload));

interface Guarded {
  /** The page that is shown, where it changes: each has its own faults. */
  readonly place?: string;
  readonly children: ReactNode;
}

/** Shows a fault of a page in its place, so that the frame with its stop stays. */
export class Faults extends Component<Guarded, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate({ place }: Guarded): void {
    if (place !== this.props.place && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (error instanceof Error && missing.has(error)) return <Missing />;
    return (
      <Empty next={<LoadAnew />}>
        This page failed: {String(error)}. Nothing was traded by that.
      </Empty>
    );
  }
}

const LoadAnew = () => <Button onClick={() => location.reload()}>Load the page anew</Button>;

/** A file of the page did not come: it loads anew by itself once the service answers. */
function Missing() {
  useEffect(() => {
    const again = (): void => {
      fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
        ({ ok }) => (ok ? loadAnewOnce() : undefined),
        () => undefined, // still away
      );
    };
    again();
    const timer = setInterval(again, ASKED_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Empty next={<LoadAnew />}>
      This page did not come: the service may be restarting, or you may be offline. It is loaded as
      soon as the service answers.
    </Empty>
  );
}

const ASKED_AGAIN_MS = 3_000;
/** A page that was loaded anew a moment ago and still lacks a file is left to its reader. */
const LOADED_ANEW_MS = 60_000;
const LOADED_ANEW_AT = 'predictd.loaded-anew';

function loadAnewOnce(): void {
  try {
    if (Date.now() - Number(sessionStorage.getItem(LOADED_ANEW_AT)) < LOADED_ANEW_MS) return;
    sessionStorage.setItem(LOADED_ANEW_AT, String(Date.now()));
  } catch {
    // without storage nothing says that it was tried, and it must not be tried for ever
    return;
  }
  location.reload();
}
