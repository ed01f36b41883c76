//! What all services are built on.

use std::sync::Arc;

use allclear_application::background::Background;
use allclear_application::broadcast::Broadcast;
use allclear_application::clock::Clock;
use allclear_application::link::Links;
use allclear_application::mail::Mailer;
use allclear_application::relay::Relay;
use allclear_persistence::database::Database;
use tokio::runtime::Handle;

use crate::connect::NodeBroadcast;
use crate::installation::Installation;
use crate::node_clock::NodeClock;
use crate::settings::Settings;
use crate::tasks::Tasks;
use crate::{connect, mail};

/// Settings, database, connection to the other nodes, mail and clock of a server.
pub(crate) struct Infrastructure {
    pub(crate) settings: Settings,
    /// Public address of the installation.
    pub(crate) public_url: String,
    /// Links in mails and messages.
    pub(crate) links: Links,
    pub(crate) installation: Installation,
    /// Work that requests leave behind.
    pub(crate) background: Background,
    store: Arc<Database>,
    broadcast: NodeBroadcast,
    relay: Arc<Relay>,
    mailer: Arc<dyn Mailer>,
    clock: Arc<NodeClock>,
}

impl Infrastructure {
    /// Opens the database and the connection to the other nodes, and starts the mailer. `machine`
    /// is the machine's clock.
    ///
    /// # Errors
    /// One line with the reason.
    pub(crate) async fn open(
        settings: &Settings,
        public_url: String,
        machine: Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let links = Links::new(&public_url);
        let node_clock = Arc::new(NodeClock::new(machine));
        let clock: Arc<dyn Clock> = Arc::clone(&node_clock) as _;
        let database = connect::database(settings, &node_clock)
            .await?
            .limited(settings.usage.stored())
            .linked(links.clone());
        let installation = Installation::load(&database, &*clock).await?;
        let store = Arc::new(database);
        let broadcast = connect::broadcast(settings, &installation)?;
        Ok(Self {
            relay: Arc::new(Relay::new(Arc::clone(&store) as _, broadcast.port())),
            mailer: mail::start(settings, &public_url, &clock)?,
            settings: settings.clone(),
            public_url,
            links,
            installation,
            background: Background::on(Handle::current()),
            store,
            broadcast,
            clock: node_clock,
        })
    }

    /// The database, as every storage port.
    pub(crate) fn store(&self) -> Arc<Database> {
        Arc::clone(&self.store)
    }

    /// The port that publishes commits to every node.
    pub(crate) fn broadcast(&self) -> Arc<dyn Broadcast> {
        self.broadcast.port()
    }

    /// Starts the tasks of the connection to the other nodes.
    pub(crate) fn start(&self, tasks: &mut Tasks) {
        self.broadcast.start(tasks);
    }

    /// The relay, which delivers commits to the viewers of this node.
    pub(crate) fn relay(&self) -> Arc<Relay> {
        Arc::clone(&self.relay)
    }

    pub(crate) fn mailer(&self) -> Arc<dyn Mailer> {
        Arc::clone(&self.mailer)
    }

    /// The node's clock, which all nodes correct by the same one.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as _
    }

    /// The clock of this machine, for what is compared with clocks outside of the installation:
    /// tokens and signatures of others, messages to receivers, codes of authenticator apps.
    pub(crate) fn machine_clock(&self) -> Arc<dyn Clock> {
        self.clock.machine()
    }

    pub(crate) fn node_clock(&self) -> Arc<NodeClock> {
        Arc::clone(&self.clock)
    }
}
