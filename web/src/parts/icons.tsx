import type { ReactNode } from "react";

export type Icon = (props: { readonly size?: number }) => React.JSX.Element;

const icon = (path: ReactNode): Icon =>
  function Icon({ size = 16 }) {
    return (
      <svg
        aria-hidden="true"
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        {path}
      </svg>
    );
  };

export const InboxIcon = icon(<path d="M2 9.5 3.7 3h8.6L14 9.5V13H2V9.5Zm0 0h3.5L7 11h2l1.5-1.5H14" />);
export const ItemsIcon = icon(<path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01" />);
export const ChartIcon = icon(<path d="M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6" />);
export const SettingsIcon = icon(<path d="M2.5 5h6M11.5 5h2M10 3.5v3M2.5 11h2M7.5 11h6M6 9.5v3" />);
export const CheckIcon = icon(<path d="m3 8.5 3.2 3.2L13 4.8" />);
export const CrossIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const ChevronIcon = icon(<path d="m6 4 4 4-4 4" />);
export const DotsIcon = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.4" />);
export const CommentIcon = icon(<path d="M2.5 3h11v7.5h-6L4.5 13v-2.5h-2V3Z" />);
export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const FileIcon = icon(<path d="M4 2h5l3 3v9H4V2Zm5 0v3h3" />);
export const GateIcon = icon(<path d="M3.5 2.5v11M12.5 2.5v11M3.5 6h9M3.5 10h9" />);
export const WarnIcon = icon(<path d="M8 2.5 14 13H2L8 2.5Zm0 4v3M8 11.4v.01" />);
export const QuestionIcon = icon(
  <path d="M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1M8 11.4v.01M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z" />,
);
export const PlayIcon = icon(<path d="M5 3.5v9l7-4.5-7-4.5Z" />);
export const StopIcon = icon(<path d="M4.5 4.5h7v7h-7z" />);
export const BackIcon = icon(<path d="M7 4 3 8l4 4M3 8h10" />);
export const CoinIcon = icon(
  <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm1.8-7.6C9.5 5.7 8.8 5.4 8 5.4c-1 0-1.8.5-1.8 1.3 0 1.8 3.6.8 3.6 2.6 0 .8-.8 1.3-1.8 1.3-.9 0-1.6-.4-1.8-1M8 4.4v7.2" />,
);
export const FlagIcon = icon(<path d="M4 14V2.5h8L10.5 6 12 9.5H4" />);
