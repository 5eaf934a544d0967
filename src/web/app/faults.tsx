import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/state.tsx';

/** Shows a fault of a page in its place, so that the frame with its stop stays. */
export class Faults extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <Empty next={<Button onClick={() => location.reload()}>Load the page anew</Button>}>
        This page failed: {String(this.state.error)}. Nothing was traded by that.
      </Empty>
    );
  }
}
