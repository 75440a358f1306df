import { Appearance } from "../parts/appearance.tsx";
import { useRepositories } from "../repositories.ts";
import { OwnTokens } from "../team/own-tokens.tsx";
import { Policy } from "../team/policy.tsx";
import { useTitle } from "../title.ts";

/** Displays the user's tokens, and to admins the rules and roles of their repositories. */
export function TeamSettings() {
  useTitle("Settings");
  const repositories = useRepositories();
  return (
    <div className="page">
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <Appearance />
      <OwnTokens />
      {repositories
        .filter(({ isAdmin }) => isAdmin)
        .map(({ name }) => (
          <Policy key={name} repository={name} />
        ))}
    </div>
  );
}
