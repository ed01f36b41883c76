//! The `user` commands, for operators of an installation whose people are locked out or have left.
//! A server may be running on the same database.

use std::io::{self, Write};
use std::sync::Arc;

use allclear_application::account::DeletionOutcome;
use allclear_application::background::Background;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::origin::Origin;
use allclear_application::second_factor::reset_factors;
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_domain::audit::Actor;
use allclear_domain::membership::Role;
use allclear_persistence::account::administration::MakeAdminOutcome;
use allclear_persistence::database::Database;
use clap::Subcommand;
use tokio::runtime::Handle;

use crate::output::{not_written, print_line, with_causes};
use crate::settings::Settings;
use crate::{connect, identity};

/// Accounts that are read at a time.
const MAX_ACCOUNTS_PER_READ: u64 = 500;

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum UserAction {
    /// List accounts with their organisations and roles; columns are separated by tabs
    List,
    /// Remove all second factors of a person, end the sessions and mail the person; the server may
    /// be running
    ResetFactors {
        /// Mail address of the account
        address: String,
    },
    /// Make a person an admin of an organisation, even if the person is not a member; the server
    /// may be running
    MakeAdmin {
        /// Mail address of the account
        address: String,
        /// Identifier or code of the organisation
        organisation: String,
    },
    /// Delete the account of a person, with the organisations that have no other member; the server
    /// may be running
    Delete {
        /// Mail address of the account
        address: String,
    },
}

/// Runs a command. What it changes is in the audit log of the organisation.
pub(crate) async fn run(settings: &Settings, action: UserAction) -> Result<(), String> {
    if settings.clerk.application()?.is_some() {
        return Err("people sign in with Clerk: manage them in Clerk's dashboard".to_owned());
    }
    connect::require_database(settings)?;
    connect::with_database(settings, async |database, clock| {
        let work = async {
            match action {
                UserAction::List => list(database).await,
                UserAction::ResetFactors { address } => {
                    reset(settings, database, clock, &address).await
                }
                UserAction::MakeAdmin {
                    address,
                    organisation,
                } => make_admin(database, &address, &organisation).await,
                UserAction::Delete { address } => delete(database, &address).await,
            }
        };
        Origin::of(Actor::CommandLine).scope(work).await
    })
    .await
}

async fn list(database: &Database) -> Result<(), String> {
    let mut after = None;
    loop {
        let found = database.list_accounts(after, MAX_ACCOUNTS_PER_READ).await;
        let (accounts, last) = found.map_err(|error| with_causes(&error))?;
        if last.is_none() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        for account in accounts {
            let (id, name, role) = account.membership.map_or_else(Default::default, |found| {
                let (id, name, role) = found;
                (id, name, role.to_string())
            });
            let line = [account.address, account.name, role, name, id].join("\t");
            writeln!(out, "{line}").map_err(|error| not_written(&error))?;
        }
        after = last;
    }
}

async fn reset(
    settings: &Settings,
    database: &Database,
    clock: &Arc<dyn Clock>,
    address: &str,
) -> Result<(), String> {
    let background = Background::on(Handle::current());
    let mails = identity::command::security_mails(settings, database, clock, &background).await?;
    let reset = reset_factors(database, database, &mails, address).await;
    background.wait_idle().await;
    match reset {
        Ok(user) => print_line(format_args!(
            "{} signs in without a second factor now.",
            user.email
        )),
        Err(Error::NotFound(_)) => Err(no_account(address)),
        Err(error) => Err(with_causes(&error)),
    }
}

async fn make_admin(database: &Database, address: &str, name: &str) -> Result<(), String> {
    let made = database.make_admin(address, name).await;
    match made.map_err(|error| with_causes(&error))? {
        MakeAdminOutcome::Made(user, organisation) => {
            SecurityRecord {
                organisation: Some(&organisation),
                object: Some(&user),
                detail: Some(Role::Admin.as_ref()),
                ..SecurityRecord::new(SecurityEvent::RoleChanged)
            }
            .write();
            print_line(format_args!("{address} is an admin of {name} now."))
        }
        MakeAdminOutcome::Already => {
            print_line(format_args!("{address} is an admin of {name} already."))
        }
        MakeAdminOutcome::NoAccount => Err(no_account(address)),
        MakeAdminOutcome::NoOrganisation => Err(format!("there is no organisation {name}")),
    }
}

async fn delete(database: &Database, address: &str) -> Result<(), String> {
    let deleted = database.delete_account_with(address).await;
    let Some((user, outcome)) = deleted.map_err(|error| with_causes(&error))? else {
        return Err(no_account(address));
    };
    match outcome {
        DeletionOutcome::Deleted => {
            SecurityRecord {
                object: Some(&user),
                ..SecurityRecord::new(SecurityEvent::AccountDeleted)
            }
            .write();
            print_line(format_args!("The account of {address} is deleted."))
        }
        DeletionOutcome::LastAdmin(name) => Err(format!(
            "{address} is the last admin of {name}: make another person an admin first, with allclear user make-admin"
        )),
        DeletionOutcome::Administrator => Err(format!(
            "{address} administers the installation and can only be deleted when it is the last account"
        )),
        // No password was verified, so only a concurrent deletion is left.
        DeletionOutcome::PasswordChanged | DeletionOutcome::Gone => Err(no_account(address)),
    }
}

fn no_account(address: &str) -> String {
    format!("no account has the address {address}")
}
