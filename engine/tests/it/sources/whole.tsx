import { Button as B } from "./button";
type Props = { label: string };
export const Panel = ({ label }: Props) => <Frame><B label={label} /></Frame>;
export class View extends Component<Props> {
    render() { return <Panel label={format("x")} />; }
}
