//! The permissions in version 2 of Clerk's session tokens.

/// Decodes the permissions like Clerk's own parser (`packages/shared/src/jwtPayloadParser.ts`, and `splitByScope` of
/// `authorization.ts`). `fea` lists features, each with its scope: `o:dashboard,u:mail,uo:teams`, `o` for an organisation's.
/// `per` lists the names of permissions. `fpm` has a number for each feature of the organisation; its bit `n`, the lowest first,
/// says whether the permission `n` of `per` is granted for it.
pub(crate) fn permissions(fea: &str, per: &str, fpm: &str) -> Vec<String> {
    let names: Vec<_> = words(per).collect();
    let features = words(fea)
        .filter_map(|feature| feature.split_once(':'))
        .filter(|(scope, _)| scope.contains('o'));
    features
        .zip(words(fpm))
        .flat_map(|((_, feature), map)| {
            // An invalid number grants no permission.
            let map: u64 = map.parse().unwrap_or(0);
            let given = names
                .iter()
                .take(64)
                .enumerate()
                .filter(move |(bit, _)| map >> bit & 1 == 1);
            given.map(move |(_, name)| format!("org:{feature}:{name}"))
        })
        .collect()
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_has_the_permissions_of_its_bits() {
        // The cases of `packages/shared/src/__tests__/jwtPayloadParser.test.ts`, and the example of Clerk's page "Session
        // tokens".
        let found = permissions("o:impersonation", "read,manage", "3");
        assert_eq!(
            found,
            ["org:impersonation:read", "org:impersonation:manage"]
        );
        let found = permissions("o:impersonation,o:memberships", "read,manage", "2,3");
        assert_eq!(
            found,
            [
                "org:impersonation:manage",
                "org:memberships:read",
                "org:memberships:manage"
            ]
        );
        assert_eq!(
            permissions("o:dashboard,o:teams", "manage,read", "1,2"),
            ["org:dashboard:manage", "org:teams:read"]
        );
    }

    #[test]
    fn features_of_the_user_have_no_number() {
        let found = permissions("u:mail, o:one, uo:two", "read", "0,1");
        assert_eq!(found, ["org:two:read"]);
    }

    #[test]
    fn unreadable_permissions_grant_nothing() {
        assert!(permissions("", "", "").is_empty());
        assert!(permissions("o:one", "read", "").is_empty());
        assert!(permissions("o:one", "read", "-1").is_empty());
        assert!(permissions("one", "read", "1").is_empty());
        assert!(permissions("o:one", "", "18446744073709551616").is_empty());
        assert_eq!(
            permissions("o:one,o:two", "read", "1"),
            ["org:one:read"],
            "no number, no permission"
        );
    }
}
